import type { Model } from './model.ts'

/** Models that refer to each other by name, so that their files need not import each other. */
type Named = 'Order' | 'Auction'

const models = new Map<string, Model>()

export function define(model: Model & { name: Named }): Model {
  models.set(model.name, model)
  return model
}

export const named = (name: Named) => (): Model => {
  const model = models.get(name)
  if (!model) throw new TypeError(`${name} is not defined`)
  return model
}
