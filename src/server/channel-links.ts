import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'
import type { Executor } from '../execution/execute.ts'
import type { Services } from '../graphql/context/context.ts'
import type { Caller } from '../http/caller.ts'
import { confirmPages, type LinkPages, leavePages } from '../http/pages/channel-pages.ts'
import type { HttpResponse } from '../http/response.ts'
import { confirmPath, unsubscribeByToken, unsubscribePath } from '../notifications/channels/email.ts'
import { confirmChannel } from '../notifications/channels/manage.ts'

interface Link {
  path: string
  pages: LinkPages
  /** @returns false for a token that does not work */
  follow(token: string): Promise<boolean>
}

const methods = 'GET, HEAD, POST, OPTIONS'

/**
 * Handles the links in mails. Only a POST has an effect: link checkers, such as mail filters, send a GET. The
 * POST of RFC 8058 and the button of the page are the same.
 */
export function createLinkHandler(
  executor: Pick<Executor, 'arrive'>,
  { channels }: Pick<Services, 'channels'>,
) {
  const links: Link[] = [
    { path: confirmPath, pages: confirmPages, follow: (token) => isConfirmed(token, channels) },
    { path: unsubscribePath, pages: leavePages, follow: (token) => unsubscribeByToken(token, channels) },
  ]

  return async (req: IncomingMessage, caller: Caller): Promise<HttpResponse & { route: string }> => {
    const [pathname = ''] = (req.url ?? '').split('?', 1)
    const link = links.find(({ path }) => pathname.startsWith(path))
    const route = link ? `${link.path}:token` : 'unknown'
    if (req.method === 'OPTIONS') return { route, status: 204, headers: { Allow: methods }, body: '' }
    executor.arrive(caller)
    if (!link) throw new Refusal('NotFound', 'there is nothing at this path')
    if (req.method === 'GET' || req.method === 'HEAD') return { route, ...link.pages.asks }
    if (req.method !== 'POST') return { route, status: 405, headers: { Allow: methods }, body: '' }
    const works = await link.follow(pathname.slice(link.path.length))
    return { route, ...(works ? link.pages.done : link.pages.unknown) }
  }
}

async function isConfirmed(token: string, channels: Services['channels']): Promise<boolean> {
  try {
    await confirmChannel(token, 'link', channels)
    return true
  } catch (fault) {
    if (fault instanceof Refusal) return false
    throw fault
  }
}
