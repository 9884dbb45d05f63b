import { RouterProvider } from '@tanstack/react-router'
import { followMutations } from '../lib/follow-mutations.ts'
import { startHeartbeat } from './heartbeat.ts'
import { mount } from './mount.tsx'
import { router } from './router.tsx'

followMutations()
startHeartbeat()

/** All pages, found by the address. */
export function Pages() {
  return <RouterProvider router={router} />
}

/** Draws the page of the address. */
export async function start(host: HTMLElement): Promise<void> {
  const { show } = await mount(host)
  show(<Pages />)
  // the page that shows failures has to be loaded before the server goes away
  setTimeout(() => void import('./failures.tsx'), 200)
}
