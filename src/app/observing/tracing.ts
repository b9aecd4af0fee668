import type { Settings } from '../settings.ts'

/** Loads what traces only where a setting asks for it. @returns what ends it */
export async function openTracing({
  settings: { TRACES_URL: url, TRACES_SAMPLED: sampled, TRACES_HEADERS: headers = {} },
  version,
  random,
}: {
  settings: Pick<Settings, 'TRACES_URL' | 'TRACES_SAMPLED' | 'TRACES_HEADERS'>
  version: string
  random: () => number
}): Promise<() => Promise<void>> {
  if (url === undefined) return async () => {}
  const { startTracing } = await import('../../outside/telemetry/opentelemetry.ts')
  return startTracing({ url, headers, sampled, version, random })
}
