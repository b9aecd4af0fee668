import { PageInfoRef } from './refs.ts'

PageInfoRef.implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there is more behind endCursor.' }),
    hasPreviousPage: t.boolean({
      description: 'Always false: pages are read forwards only.',
      resolve: () => false,
    }),
    startCursor: t.exposeString('startCursor', { nullable: true, description: 'The first item’s cursor.' }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description:
        'Where the page ends and the next one goes on: at the last item, or where the looking stopped.',
    }),
  }),
})
