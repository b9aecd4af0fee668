import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** Every GraphQL document in README and docs: separate blocks, and those inside programs. */
export function documentedQueries(): [where: string, text: string][] {
  const pages = ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => path.join('docs', name))]
  return pages
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const text = readFileSync(path.join(root, name), 'utf8')
      const blocks = [
        ...text.matchAll(/^```graphql\n([\s\S]*?)^```/gm),
        ...text.matchAll(/query: `([^`]*)`/g),
      ]
      return blocks.map(({ 1: query = '' }, index): [string, string] => [`${name}, ${index + 1}`, query])
    })
}

const each = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ')
const textLength = 250_000
const fields = Array.from({ length: 15_000 }, (_, index) => `,"field${index}":1`).join('')

/** One hostile document of each kind. Variables are JSON text, since JSON.stringify fails on such depths. */
export const bombs: Record<string, [query: string, variables?: string]> = {
  'fields nested beyond any stack': ['{a'.repeat(10_000)],
  'lists nested beyond any stack': [`{order(uid:${'['.repeat(9_000)}`],
  'fields nested 180 deep': [
    `{orders{nodes{${'auctions{nodes{orders{nodes{'.repeat(45)}uid${'}}}}'.repeat(45)}}}}`,
  ],
  'fields nested 17 deep': [
    `{orders(first:1){nodes{${'auctions{nodes{orders{nodes{'.repeat(3)}auctions{nodes{block}}${'}}}}'.repeat(3)}}}}`,
  ],
  'inline fragments nested': [`{${'...{'.repeat(201)}version${'}'.repeat(201)}}`],
  'objects nested in an argument': [
    `{orders(filter:{a:${'{a:'.repeat(201)}1${'}'.repeat(201)}}){nodes{uid}}}`,
  ],
  'an alias flood': [`{${each(650, (index) => `a${index}:version`)}}`],
  'an alias flood below a list': [`{orders{nodes{${each(51, (index) => `a${index}:auctions{nodes{id}}`)}}}}`],
  'aliases through fragments': [
    `{orders{nodes{${each(51, () => '...F')} b:auctions{nodes{orders{nodes{...F auctions{nodes{orders{nodes{...F}}}}}}}}}}} fragment F on Order{${each(26, (index) => `a${index}:uid`)}}`,
  ],
  'aliases of a fragment in two places': [
    `{orders{nodes{...F auctions{nodes{orders{nodes{...F}}}}}}} fragment F on Order{${each(26, (index) => `a${index}:uid`)}}`,
  ],
  'one field 10,000 times': [`{${'version '.repeat(10_000)}}`],
  'one field 1,900 times': [`{${'version '.repeat(1_900)}}`],
  'one branch many times': [`{${'orders{nodes{auctions{nodes{orders{nodes{uid}}}}}} '.repeat(100)}}`],
  'one field by many inline fragments': [`{${'...{version}'.repeat(490)}}`],
  'one field by many conditions': [`{node(id:"x"){${'...on Order{uid}'.repeat(270)}}}`],
  'fragments that double 40 times': [
    `{orders{nodes{...F0}}} ${each(40, (index) => `fragment F${index} on Order{uid ...F${index + 1} ...F${index + 1}}`)} fragment F40 on Order{uid}`,
  ],
  'fragments that double 12 times': [
    `{orders{nodes{...F0}}} ${each(12, (index) => `fragment F${index} on Order{uid ...F${index + 1} ...F${index + 1}}`)} fragment F12 on Order{uid}`,
  ],
  'fragments in one place': [
    `{orders{nodes{${each(180, (index) => `...F${index}`)}}}} ${each(180, (index) => `fragment F${index} on Order{uid}`)}`,
  ],
  'unknown fragments': [`{orders{nodes{${each(900, (index) => `...F${index}`)}}}}`],
  'a fragment in itself': ['{orders{nodes{...A}}} fragment A on Order{...A}'],
  'fragments in each other': [
    '{orders{nodes{...A}}} fragment A on Order{auctions{nodes{orders{nodes{...B}}}}} fragment B on Order{auctions{nodes{orders{nodes{...A}}}}}',
  ],
  'fragments all in each other': [
    `{orders{nodes{...F0}}} ${each(25, (index) => `fragment F${index} on Order{uid ${each(25, (other) => `...F${other}`)}}`)}`,
  ],
  'introspection of introspection': [`{__schema{types{${'fields{type{'.repeat(7)}name${'}}'.repeat(7)}}}}`],
  'introspection 80 deep': [`{__schema{types{${'fields{type{'.repeat(40)}name${'}}'.repeat(40)}}}}`],
  'introspection back and forth': [
    `{__schema{types{${'interfaces{possibleTypes{'.repeat(6)}name${'}}'.repeat(6)}}}}`,
  ],
  'introspection by aliases': [`{${each(50, (index) => `a${index}:__schema{types{fields{name}}}`)}}`],
  'introspection of every field’s fields': ['{__schema{types{fields{type{fields{name}}}}}}'],
  'the largest pages nested': [
    '{orders(first:1000){nodes{auctions{nodes{orders{nodes{auctions{nodes{orders{nodes{uid}}}}}}}}}}}',
  ],
  'the largest page from a variable': [
    'query($first:Int!){orders(first:$first){nodes{auctions{nodes{orders{nodes{uid}}}}}}}',
    '{"first":1000}',
  ],
  'the largest pages from their ends': ['{orders(last:1000){nodes{events(last:1000){nodes{label}}}}}'],
  'a directive flood': [`{version ${'@skip(if:false) '.repeat(600)}}`],
  'a flood of unknown directives': [`{version ${'@a '.repeat(950)}}`],
  'many arguments': [`{orders(${each(480, (index) => `a${index}:1`)}){nodes{uid}}}`],
  'one argument many times': [`{orders(${'first:1 '.repeat(480)}){nodes{uid}}}`],
  'many operations': [each(450, (index) => `query Q${index}{version}`)],
  'many variables': [`query(${each(450, (index) => `$v${index}:Int`)}){version}`],
  'many unknown fields': [`{${each(1_900, (index) => `nam${index}`)}}`],
  'a name of 60,000 characters': [`{${'a'.repeat(60_000)}}`],
  'a name of 260,000 characters': [`{${'a'.repeat(textLength)}}`],
  comments: [`{version}${'#\n'.repeat(textLength / 4)}`],
  'one long comment': [`{version}#${'x'.repeat(textLength)}`],
  blanks: [`${' '.repeat(textLength)}{version}`],
  'empty lines': [`${'\n'.repeat(60_000)}{nam}`],
  'a long string': [`{order(uid:"${'x'.repeat(textLength)}"){uid}}`],
  'a long block string': [`{order(uid:"""${'x\n'.repeat(textLength / 4)}"""){uid}}`],
  'a string that does not end': [`{order(uid:"${'x'.repeat(textLength)}`],
  'a long number': [`{orders(first:${'9'.repeat(textLength)}){nodes{uid}}}`],
  'punctuation alone': ['!'.repeat(textLength)],
  'a list of 100,000 in a variable': [
    'query($uids:[OrderUid!]!){ordersByUids(uids:$uids){uid}}',
    `{"uids":[1${',1'.repeat(99_999)}]}`,
  ],
  'a list of 30,000 enum values': [
    'query($statuses:[OrderStatus!]){orders(filter:{statuses:$statuses}){nodes{uid}}}',
    `{"statuses":["OPEN"${',"OPEN"'.repeat(29_999)}]}`,
  ],
  'an object of 15,000 fields': [
    'query($filter:OrderFilter){orders(filter:$filter){nodes{uid}}}',
    `{"filter":{"field":1${fields}}}`,
  ],
  '15,000 unused variables': ['{version}', `{"field":1${fields}}`],
  'a list 100,000 deep': [
    'query($uids:[OrderUid!]!){ordersByUids(uids:$uids){uid}}',
    `{"uids":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ],
  'an object 30,000 deep': [
    'query($uid:OrderUid!){order(uid:$uid){uid}}',
    `{"uid":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`,
  ],
}
