import { Refusal } from '../../domain/errors/error.ts'

/** Parts of the service that settings enable. */
export interface Features {
  /** Notifications and affiliates. */
  cms: boolean
  /** Statistics of affiliates and traders. */
  statistics: boolean
}

const requiredSettings: Readonly<Record<keyof Features, string>> = {
  cms: 'this needs the settings CMS_ENABLED=true and CMS_API_KEY',
  statistics: 'this needs the setting DUNE_API_KEY or STATS_SOURCE=own',
}

export interface Featured {
  features?: Features
}

/** @throws Refusal FeatureDisabled that names the settings */
export function requireFeature({ features }: Featured, name: keyof Features): void {
  if (features?.[name] === false) throw new Refusal('FeatureDisabled', requiredSettings[name])
}
