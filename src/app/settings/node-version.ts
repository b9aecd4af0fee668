export const minNodeVersion = '20.19'

/** Checks the version of Node, such as `20.19.0`. Written for old versions, too. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 20 || (major === 20 && minor >= 19)
}
