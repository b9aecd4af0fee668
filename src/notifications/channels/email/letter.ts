import { escapeHtml } from '../text.ts'

/** A mail before it is written as text and as HTML. All texts are plain. */
export interface Letter {
  subject: string
  headline: string
  paragraphs: readonly Paragraph[]
  action: { label: string; url: string } | null
  /** In small print, with the link by which the reader leaves. */
  footer: string
  leave: { label: string; url: string } | null
}

interface Paragraph {
  title?: string
  text: string
  at?: Date
}

const maxSubject = 150

/** @param line without what a header cannot have */
export function subjectOf(line: string): string {
  const characters = [...line]
  return characters.length > maxSubject ? `${characters.slice(0, maxSubject - 1).join('')}…` : line
}

const timeOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

export function textOf({ headline, paragraphs, action, footer, leave }: Letter): string {
  const parts = paragraphs.map(({ title, text, at }) =>
    [...(title ? [title] : []), text, ...(at ? [timeOf(at)] : [])].join('\n'),
  )
  const links = action ? [`${action.label}: ${action.url}`] : []
  const small = ['-- ', footer, ...(leave ? [`${leave.label}: ${leave.url}`] : [])].join('\n')
  return `${[headline, ...parts, ...links, small].join('\n\n')}\n`
}

/** Styles stand in the elements, as many readers want it; nothing is loaded. */
export function htmlOf({ subject, headline, paragraphs, action, footer, leave }: Letter): string {
  const parts = paragraphs.map(
    ({ title, text, at }) =>
      `<div style="margin:0 0 16px">${title ? `<strong>${escapeHtml(title)}</strong><br>` : ''}${escapeHtml(text)}${at ? `<br><span class="quiet" style="color:#667085;font-size:14px">${timeOf(at)}</span>` : ''}</div>`,
  )
  const button = action
    ? `<p style="margin:24px 0"><a class="button" href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1f5fd6;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`
    : ''
  const end = leave
    ? ` <a class="quiet" href="${escapeHtml(leave.url)}" style="color:#667085">${escapeHtml(leave.label)}</a>`
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14161a !important; color: #e6e8ec !important; }
  .card { background: #1e2127 !important; }
  .quiet { color: #9aa3b2 !important; }
  .button { background: #7aa5ff !important; color: #10131a !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:16px;background:#f2f4f7;color:#1d2129;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px;border-radius:12px;background:#ffffff">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(headline)}</h1>
${parts.join('\n')}
${button}
<p class="quiet" style="margin:24px 0 0;color:#667085;font-size:13px">${escapeHtml(footer)}${end}</p>
</div>
</body>
</html>
`
}
