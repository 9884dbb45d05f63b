import { Requests } from './requests.tsx'
import { Resources } from './resources.tsx'

/** What stands beside the composer for admins. */
export function ServerPanels() {
  return (
    <>
      <Requests />
      <Resources />
    </>
  )
}
