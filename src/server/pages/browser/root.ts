/** An address of the service, which may be below a path of a proxy; the page has it relative to itself. */
export function serviceUrl(path: string): string {
  const { root = '..' } = document.documentElement.dataset
  return new URL(path, new URL(`${root}/`, location.href)).href
}

/** The last part of the page’s path, which the server has checked. */
export const idInPath = (): string => location.pathname.split('/').at(-1) ?? ''

/** The same for numbers and hex, in any spelling. */
export const nameInPath = (): string => idInPath().toLowerCase()

/** Path of an auction's page. Networks number their auctions each on their own. */
export const auctionPath = (id: number, network?: string) =>
  `auctions/${id}${network === undefined ? '' : `?network=${encodeURIComponent(network)}`}`
