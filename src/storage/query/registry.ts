import type { Model } from './model.ts'

/** Models that refer to each other by name, so that their files need not import each other. */
type ModelName = 'Order' | 'Auction' | 'Settlement'

const models = new Map<string, Model>()

export function defineModel(model: Model & { name: ModelName }): Model {
  models.set(model.name, model)
  return model
}

export const modelNamed = (name: ModelName) => (): Model => {
  const model = models.get(name)
  if (!model) throw new TypeError(`${name} is not defined`)
  return model
}
