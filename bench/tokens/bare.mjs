// The minimum work of node:http for an answer: the body by its path. BODIES is a JSON object.
import { createServer } from 'node:http'

const answers = new Map(
  Object.entries(JSON.parse(process.env.BODIES ?? '{}')).map(([path, body]) => [
    path,
    { body, headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } },
  ]),
)

const server = createServer((req, res) => {
  const answer = answers.get(req.url)
  if (answer) res.writeHead(200, answer.headers).end(answer.body)
  else res.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${server.address().port}\n`)
})
