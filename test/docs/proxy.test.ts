import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { maxGraphqlBytes } from '../../src/execution/http/handler.ts'
import { readPage } from './pages.ts'

const { blocks } = readPage('docs/how-to/behind-a-proxy.md')
const config = blocks.find(({ language }) => language === 'nginx')?.text ?? ''

/**
 * Directives by the block that they stand in, without comments.
 * @throws on a brace or semicolon that is missing
 */
function directives(text: string): [where: string, directive: string][] {
  const found: [string, string][] = []
  const open: string[] = []
  const tokens = text.replaceAll(/#.*$/gm, '').split(/(?<=[;{}])\s+/)
  for (const token of tokens.map((one) => one.trim()).filter(Boolean)) {
    if (token.endsWith('{')) open.push(token.slice(0, -1).trim())
    else if (token === '}') {
      if (open.pop() === undefined) throw new Error('a brace too many')
    } else if (token.endsWith(';')) found.push([open.at(-1) ?? '', token.slice(0, -1)])
    else throw new Error(`no end: ${token}`)
  }
  if (open.length > 0) throw new Error(`not closed: ${open}`)
  return found
}

test('the configuration of nginx reads as one, and says what the page explains', () => {
  const all = directives(config)
  expect(all).toContainEqual(['server', `client_max_body_size ${maxGraphqlBytes / 1024}k`])
  expect(all).toContainEqual(['server', 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for'])
  const streams = 'location ~ ^/graphql/stream$|/quote/stream$|/balances/sse$'
  for (const line of [
    'proxy_buffering off',
    'gzip off',
    'proxy_read_timeout 1h',
    'proxy_pass http://tradegraph',
  ])
    expect(all).toContainEqual([streams, line])
})

test('nginx itself finds no fault with its syntax, where there is one', () => {
  if (spawnSync('nginx', ['-v']).error) return
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-nginx-'))
  try {
    // Without TLS: there is no certificate here.
    const plain = config.replace('listen 443 ssl', 'listen 127.0.0.1:18443').replaceAll(/^ *ssl_.*$/gm, '')
    const file = path.join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${plain}\n}\n`,
    )
    const { stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' })
    expect(stderr).toContain('syntax is ok')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the setting of trusted proxies is one that the program reads', () => {
  const [, proxies = ''] = /TRUSTED_PROXIES=(\S+)/.exec(blocks.map(({ text }) => text).join('\n')) ?? []
  const { TRUSTED_PROXIES: isTrusted } = readSettings({ TRUSTED_PROXIES: proxies })
  expect([isTrusted?.('127.0.0.1'), isTrusted?.('10.1.2.3'), isTrusted?.('192.0.2.1')]).toEqual([
    true,
    true,
    false,
  ])
})
