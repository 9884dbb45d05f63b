import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pollServer } from './api.ts'
import { Requests } from './requests.tsx'
import { Resources } from './resources.tsx'

export { Attention } from './attention.tsx'
export { LoadedModels } from './loaded-models.tsx'

/** Panels beside the composer for admins; keeps all panels up to date. */
export function ServerPanels() {
  const client = useQueryClient()
  useEffect(() => pollServer(client), [client])
  return (
    <>
      <Requests />
      <Resources />
    </>
  )
}
