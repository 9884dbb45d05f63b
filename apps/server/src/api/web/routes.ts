import { SvcError } from '@svc/errors'
import { createLazy } from '../../concurrency/lazy.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import type { HttpReply } from '../../http/http-reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { wantsPage } from '../../http/wants-page.ts'

/** Paths of the interface (§4.1); it shows what belongs to each. */
const PAGES = ['/app', '/app/*', '/browse', '/browse/*', '/login', '/invite/:code{.+}', '/explorer'] as const

/** Folders of the files of the interface (§4.1). */
const FOLDERS = ['/assets/*', '/locales/*', '/static/*'] as const

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'pages' } as const

/** The parts of {@link webRoutes}. */
export interface WebParts {
  /**
   * The folder of the packed interface; undefined where there is none, and the routes then serve a page in its place.
   */
  readonly folder: string | undefined
  /** Whether `/` is a page. */
  readonly root: boolean
  /** The page for programs, and for browsers where there is no interface. */
  readonly serveHome: (call: Call) => HttpReply
  /** The icon where there is no interface. */
  readonly serveIcon: () => HttpReply
  readonly compression: CompressionPolicy
}

/** The web interface: its page at every path that it serves, and its files. */
export function webRoutes({ folder, root, serveHome, serveIcon, compression }: WebParts): Route[] {
  const { open } = createLazy(async () => {
    if (folder === undefined) return undefined
    const { openWebInterface } = await import('./web-interface.ts')
    return openWebInterface(folder, compression)
  })
  const serveFile = async (call: Call): Promise<HttpReply | undefined> =>
    (await open())?.serveFile(call, call.path.slice(1))

  const [first, ...others] = root ? (['/', ...PAGES] as const) : PAGES
  return [
    defineRoute({
      ...common,
      path: first,
      aliases: others,
      summary: 'The web interface; at the root, programs get a page about this server',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      async handler(call) {
        if (call.path === '/') call.outgoing.appendHeader('Vary', 'Accept')
        const isForPrograms = call.path === '/' && !wantsPage(call.header('accept'))
        const page = isForPrograms ? undefined : await open()
        return page === undefined ? serveHome(call) : page.servePage(call)
      },
    }),
    defineRoute({
      ...common,
      path: '/favicon.svg',
      summary: 'The icon',
      responses: { 200: { description: 'The icon.', contentType: 'image/svg+xml' } },
      handler: async (call) => (await serveFile(call)) ?? serveIcon(),
    }),
    defineRoute({
      ...common,
      path: FOLDERS[0],
      aliases: FOLDERS.slice(1),
      summary: 'A file of the web interface',
      responses: { 200: { description: 'The file.', contentType: '*/*' }, 404: { description: 'There is none.' } },
      async handler(call) {
        const reply = await serveFile(call)
        if (reply === undefined) throw new SvcError('not_found', 'Resource not found', { details: { type: '' } })
        return reply
      },
    }),
  ]
}
