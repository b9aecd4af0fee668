/** A request as raw text, and the required content of its answer. */
export interface Question {
  request: string
  expect: string
}

export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n`
}

/** Returns a POST request with `body` in ASCII. */
export function post(path: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  )
}
