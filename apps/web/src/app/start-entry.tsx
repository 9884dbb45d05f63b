import i18next from 'i18next'
import { InvitePage } from '../features/sign-in/invite-page.tsx'
import { readSignInSearch } from '../features/sign-in/search.ts'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { basePath } from '../lib/base-path.ts'
import { brandingQuery } from '../lib/branding.ts'
import { queryClient } from '../lib/query-client.ts'
import { sessionQuery } from '../lib/session.ts'
import { mount } from './mount.tsx'

/** Draws `/login` or `/invite/CODE`. The rest of the interface loads when the viewer leaves this page. */
export async function start(host: HTMLElement): Promise<void> {
  void queryClient.prefetchQuery(sessionQuery)
  void queryClient.prefetchQuery(brandingQuery)
  const { show } = await mount(host)
  await i18next.loadNamespaces(['sign-in'])
  // a step back, as after signing out, leads to a page that loads anew
  const reload = () => location.reload()
  addEventListener('popstate', reload)
  const goOn = async (path: string) => {
    removeEventListener('popstate', reload)
    history.replaceState(null, '', path)
    const { Pages } = await import('./start-pages.tsx')
    show(<Pages />)
  }
  const invite = /^invite\/([^/]+)/.exec(location.pathname.slice(basePath.length))
  const search = readSignInSearch(Object.fromEntries(new URLSearchParams(location.search)))
  show(
    invite?.[1] === undefined ? (
      <SignInPage search={search} onDone={goOn} />
    ) : (
      <InvitePage code={decodeURIComponent(invite[1])} onDone={goOn} />
    ),
  )
}
