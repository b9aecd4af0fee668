import fc from 'fast-check'
import {
  type DocumentNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'
import { type Values, valuesOf } from './known-values.ts'
import { bareSchema, interpret } from './oracle/execute.ts'
import type { GraphqlParams } from './oracle/fields.ts'
import { theHead } from './oracle/page.ts'
import { readRows } from './oracle/rows.ts'
import { randomDocument } from './random-document.ts'
import { headPlace, storeWorld } from './stored-world.ts'

/** Compiled reads come from descriptions of fields. The oracle computes the same from rows, without these descriptions. */

const numbers = fc.array(fc.nat(997), { minLength: 10, maxLength: 160 })
const runs = 250

const headOfFeed = new RegExp(`"${headPlace}"`, 'g')

/** The code of a document that is refused before anything is read. */
const tooLarge = 'QueryTooComplex'

type Variables = Record<string, unknown>

async function post(server: TestServer, query: string, variables: Variables) {
  const before = server.database.statements.length
  const answer = await request(`${server.url}/graphql`, 'POST', { query, variables })
  const body = JSON.parse(JSON.stringify(answer.body).replace(headOfFeed, JSON.stringify(theHead)))
  return { body, statements: server.database.statements.slice(before) }
}

/** The root fields that need a statement. Resolvers already know the address of a named token or account, and read nothing for that alone. */
class Roots {
  private readonly names = new Map<string, string>()
  private readonly beyondNames = new Set<string>()
  private reachesOutside = false

  readonly see = ({ path, parentType, fieldName }: GraphQLResolveInfo) => {
    let root: GraphQLResolveInfo['path'] = path
    while (root.prev) root = root.prev
    if (path.key === 'outside') this.reachesOutside = true
    if (root === path) this.names.set(String(root.key), fieldName)
    else if (!known.has(`${parentType.name}.${fieldName}`)) this.beyondNames.add(String(root.key))
  }

  /** Without the field that is not stored, as in a fragment that no object matches, those that need no row may be read or not. */
  statements(isMixed: boolean): readonly number[] {
    const needsRow = ([key, name]: [string, string]) =>
      !['tokens', 'account'].includes(name) || this.beyondNames.has(key)
    const min = [...this.names].filter(needsRow).length
    if (!isMixed) return [this.names.size]
    return this.reachesOutside ? [min] : [min, this.names.size]
  }
}
const known = new Set(['Token.address', 'Token.usdPrice', 'Account.address'])

const outside: Record<string, SelectionSetNode> = {
  Order: selectionOf('{ outside: network { name } }'),
  Token: selectionOf('{ outside: usdPrice { price } }'),
}

function selectionOf(text: string): SelectionSetNode {
  return (parse(text).definitions[0] as OperationDefinitionNode).selectionSet
}

/** The document with a field that is not stored added to its last order or token; undefined where it selects none. */
function mixed(document: DocumentNode): DocumentNode | undefined {
  const places: SelectionSetNode[] = []
  const types = new TypeInfo(bareSchema)
  visit(
    document,
    visitWithTypeInfo(types, {
      SelectionSet: {
        leave: (node) => void (outside[types.getParentType()?.name ?? ''] && places.push(node)),
      },
    }),
  )
  const place = places.at(-1)
  if (!place) return undefined
  return visit(
    document,
    visitWithTypeInfo(types, {
      SelectionSet(node) {
        const added = outside[types.getParentType()?.name ?? '']
        if (node !== place || !added) return undefined
        return { kind: Kind.SELECTION_SET, selections: [...node.selections, ...added.selections] }
      },
    }),
  )
}

describe.each([11, 12, 13])('documents over the random stories of seed %i', (seed) => {
  let server: TestServer
  let params: GraphqlParams
  let values: Values
  const counts = { all: 0, tooLarge: 0, mixed: 0, stillRead: 0 }

  beforeAll(async () => {
    server = await openTestServer()
    await storeWorld(server.database.db, seed)
    const rows = await readRows(server.database.db)
    params = { rows, chainId: network.chainId, wrappedNative: network.wrappedNative, now: 1_800_000_000 }
    values = valuesOf(rows)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  async function check(document: DocumentNode, variables: Variables, isMixed = false): Promise<boolean> {
    const text = print(document)
    const roots = new Roots()
    const data = interpret(document, variables, params, roots.see)
    const { body, statements } = await post(server, text, variables)
    const code = body.errors?.[0]?.extensions?.code
    if (code === tooLarge) return false
    if (data === undefined) {
      expect([text, code]).toEqual([text, 'Unavailable'])
      counts.stillRead++
      return true
    }
    const faults = server.faults.splice(0).map(({ fields }) => fields?.cause)
    expect({ text, variables, faults, ...body, extensions: undefined }).toEqual({
      text,
      variables,
      faults: [],
      data,
    })
    expect(JSON.stringify(body.data)).toBe(JSON.stringify(data))
    expect(roots.statements(isMixed), text).toContain(statements.length)
    return true
  }

  test('return what the oracle computes, by one statement per root, also with fields that are not stored', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async (drawn) => {
        const { text, variables } = randomDocument(drawn, values)
        const document = parse(text)
        counts.all++
        if (!(await check(document, variables))) {
          counts.tooLarge++
          return
        }
        const other = mixed(document)
        if (other && (await check(other, variables, true))) counts.mixed++
      }),
      { seed, numRuns: runs },
    )
    expect(counts.tooLarge).toBeLessThan(counts.all / 4)
    expect(counts.mixed).toBeGreaterThan(counts.all / 4)
    expect(counts.stillRead).toBeGreaterThan(0)
    expect(counts.stillRead).toBeLessThan(counts.all / 4)
  })
})
