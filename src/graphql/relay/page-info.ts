import { type PageInfo, PageInfoRef } from '../refs.ts'

const part = { extensions: { isPagePart: true } }

PageInfoRef.implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether there is more behind endCursor.',
      ...part,
      resolve: (info, _args, _context, { path }) => partOf(info, 'hasNextPage', path.key) as boolean,
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there is more before startCursor; where nothing asked for it, whether the page began behind a cursor.',
      ...part,
      resolve: (info, _args, _context, { path }) => partOf(info, 'hasPreviousPage', path.key) as boolean,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The first item’s cursor.',
      ...part,
      resolve: (info, _args, _context, { path }) => partOf(info, 'startCursor', path.key) as string | null,
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'Where the page ends and the next one goes on: at the last item, or where the looking stopped.',
      ...part,
      resolve: (info, _args, _context, { path }) => partOf(info, 'endCursor', path.key) as string | null,
    }),
  }),
})

/** Of a stored list by its response key, of any other by its name. */
function partOf(info: Partial<PageInfo>, name: keyof PageInfo['page'], key: string | number): unknown {
  return info.page ? info.page[name] : (info as Record<string | number, unknown>)[key]
}
