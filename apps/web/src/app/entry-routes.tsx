import { getRouteApi, useRouter } from '@tanstack/react-router'
import { InvitePage } from '../features/sign-in/invite-page.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'

const login = getRouteApi('/login')
const invite = getRouteApi('/invite/$code')

/** Takes the viewer to a path of the interface, with its guards run again. */
function useGoOn(): (path: string) => Promise<void> {
  const router = useRouter()
  return async (path) => {
    router.history.replace(path)
    await router.invalidate()
  }
}

/** The sign-in page for viewers who were inside before, such as after the end of their session. */
export function LoginRoute() {
  return <SignInPage search={login.useSearch()} onDone={useGoOn()} />
}

export function InviteRoute() {
  return <InvitePage code={invite.useParams().code} onDone={useGoOn()} />
}
