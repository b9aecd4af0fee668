import type { ArgBuilder } from '@pothos/core'
import { Refusal } from '../domain/errors/error.ts'
import { defaultPage, largestPage } from '../storage/query/page-key.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { onlyNetwork } from './input/fields.ts'
import { type PageInfo, PageInfoRef } from './refs.ts'

export { largestPage }

export type Arguments = ArgBuilder<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>>

export function networkArgument(arg: Arguments, description: string = onlyNetwork) {
  return arg({
    type: 'NetworkName',
    required: false,
    description: `A network by name or chain id, such as sepolia. ${description}`,
  })
}

const afterText = 'The cursor to continue behind.'

/** Arguments of a keyset page, from either end of the list. */
export function pageArguments() {
  return builder.args((arg) => ({
    first: arg.int({
      required: false,
      description: `Size of the page, 1 to ${largestPage}, from the start of the list; ${defaultPage} without it and without last.`,
    }),
    after: arg.string({ required: false, description: afterText }),
    last: arg.int({
      required: false,
      description: `Size of the page, 1 to ${largestPage}, from the end of the list.`,
    }),
    before: arg.string({ required: false, description: 'The cursor to end before.' }),
  }))
}

/** Arguments of a keyset page, forwards only. */
export function cursorArguments(arg: Arguments, size = defaultPage, most = largestPage) {
  return {
    first: arg.int({ defaultValue: size, required: true, description: `Size of the page, 1 to ${most}.` }),
    after: arg.string({ required: false, description: afterText }),
  }
}

export function checkFirst(first: number, most = largestPage): void {
  if (first >= 1 && first <= most) return
  throw new Refusal('InvalidParameter', `first must be from 1 to ${most}`, { field: 'first' })
}

export function checkLimit(limit: number, code: 'InvalidLimit' | 'LIMIT_OUT_OF_BOUNDS'): void {
  if (limit >= 1 && limit <= largestPage) return
  throw new Refusal(code, `limit must be from 1 to ${largestPage}`, { field: 'limit' })
}

/** The options of the field of a page that says where it stands. */
export const pageInfoField = { type: PageInfoRef, description: 'The place of the page in its list.' }

const pagePart = { extensions: { isPagePart: true } }

PageInfoRef.implement({
  description: 'The place of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'True if there are items behind endCursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'hasNextPage', path.key) as boolean,
    }),
    hasPreviousPage: t.boolean({
      description:
        'True if there are items before startCursor; without a request for earlier items, true if the page began behind a cursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'hasPreviousPage', path.key) as boolean,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The first item’s cursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) =>
        pagePartOf(info, 'startCursor', path.key) as string | null,
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'The end of the page, behind which the next one begins: the last item, or the place at which the search stopped.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'endCursor', path.key) as string | null,
    }),
  }),
})

/** Stored lists have the value under its response key, other lists under its name. */
function pagePartOf(info: Partial<PageInfo>, name: keyof PageInfo['page'], key: string | number): unknown {
  return info.page ? info.page[name] : (info as Record<string | number, unknown>)[key]
}
