import { type PageInfo, PageInfoRef } from '../refs.ts'

const pagePart = { extensions: { isPagePart: true } }

PageInfoRef.implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether there is more behind endCursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'hasNextPage', path.key) as boolean,
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there is more before startCursor; where nothing asked for it, whether the page began behind a cursor.',
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
        'Where the page ends and the next one goes on: at the last item, or where the looking stopped.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'endCursor', path.key) as string | null,
    }),
  }),
})

/** Stored lists have the value under its response key, other lists under its name. */
function pagePartOf(info: Partial<PageInfo>, name: keyof PageInfo['page'], key: string | number): unknown {
  return info.page ? info.page[name] : (info as Record<string | number, unknown>)[key]
}
