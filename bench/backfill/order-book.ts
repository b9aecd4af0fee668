import { type BookOrder, readOrders } from './data.ts'
import { serveJson } from './serve.ts'

// An order book over the prepared orders, without a limit. Argument: their file.

const lines = readOrders(process.argv[2] ?? '')
const byUid = new Map<string, number>()
const byOwner = new Map<string, number[]>()
const documents = new Map<string, string>()
for (const [index, line] of lines.entries()) {
  const { uid, owner, appData, fullAppData } = JSON.parse(line) as BookOrder
  byUid.set(uid, index)
  byOwner.set(owner, [index, ...(byOwner.get(owner) ?? [])])
  documents.set(appData, fullAppData)
}

const lineOf = (uid: string) => lines[byUid.get(uid) ?? -1]

serveJson(({ pathname, searchParams }, body) => {
  const [, , , what, subject = '', more] = pathname.split('/')
  if (what === 'version') return '"bench"'
  if (what === 'orders' && subject === 'by_uids') {
    const found = (JSON.parse(body) as string[]).flatMap((uid) => lineOf(uid) ?? [])
    return `[${found.map((line) => `{"order":${line}}`).join(',')}]`
  }
  if (what === 'orders') return lineOf(subject)
  if (what === 'account' && more === 'orders') {
    const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 10)]
    const found = (byOwner.get(subject.toLowerCase()) ?? []).slice(offset, offset + limit)
    return `[${found.map((index) => lines[index]).join(',')}]`
  }
  const document = what === 'app_data' ? documents.get(subject) : undefined
  return document && JSON.stringify({ fullAppData: document })
})
