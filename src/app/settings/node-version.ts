export const minNodeVersion = '20.19'

/** Whether the program runs in a Node of this version, such as `20.19.0`. In words that old ones can read. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 20 || (major === 20 && minor >= 19)
}
