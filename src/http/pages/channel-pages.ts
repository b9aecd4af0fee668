import { createHash } from 'node:crypto'
import type { HttpResponse } from '../response.ts'

/** The texts of a page. A page with a button posts to its own address, and changes nothing before. */
interface Words {
  title: string
  text: string
  button?: string
}

const style = `:root { color-scheme: light dark; }
body { margin: 0; padding: 16px; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 32rem; margin: 10vh auto 0; }
h1 { font-size: 1.4rem; line-height: 1.3; }
button { font: inherit; font-weight: 600; padding: 12px 20px; border: 0; border-radius: 8px; background: #1f5fd6; color: #fff; }`

const styleHash = createHash('sha256').update(style).digest('base64')

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The address contains a token.
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
}

/** Creates a page for a link in an e-mail. It has no script, and no content from the request. */
function page({ title, text, button }: Words, status = 200): HttpResponse {
  const form = button === undefined ? '' : `\n<form method="post"><button>${button}</button></form>`
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>${form}
</main>
</body>
</html>
`
  return { status, headers, body }
}

export interface LinkPages {
  asks: HttpResponse
  done: HttpResponse
  unknown: HttpResponse
}

export const confirmPages: LinkPages = {
  asks: page({
    title: 'Confirm your address',
    text: 'Notifications of the account that the mail names will be sent to you.',
    button: 'Confirm',
  }),
  done: page({
    title: 'Confirmed',
    text: 'Notifications are sent to you from now on. Each mail has a link to stop them.',
  }),
  unknown: page(
    {
      title: 'This link does not work',
      text: 'It has been used already, or is older than a day. Subscribe again to get another.',
    },
    404,
  ),
}

export const leavePages: LinkPages = {
  asks: page({
    title: 'Stop these mails?',
    text: 'No more notifications of this account will be sent to your address.',
    button: 'Stop them',
  }),
  done: page({ title: 'Stopped', text: 'No more notifications of this account are sent to your address.' }),
  unknown: page(
    { title: 'This link does not work', text: 'It may have been cut: copy all of it from the mail.' },
    404,
  ),
}
