import { useMutation } from '@tanstack/react-query'
import { useConnection } from '../../lib/connection.ts'
import { notify } from '../ui/toast.ts'
import { FileButton } from './file-button.tsx'

/** Chooses a file and makes something of it. */
export function ImportButton({
  label,
  accept,
  load,
  toNews,
  onMade,
}: {
  readonly label: string
  /** The types of files that may be chosen. */
  readonly accept: string
  /** Makes it. @returns its name @throws an error whose message is shown */
  readonly load: (file: File) => Promise<string>
  /** Says that it is there. */
  readonly toNews: (name: string) => string
  readonly onMade: (name: string) => void
}) {
  const isOffline = useConnection().state === 'offline'
  const upload = useMutation({
    mutationFn: load,
    onSuccess(name) {
      notify('success', toNews(name))
      onMade(name)
    },
    onError: (error) => notify('error', error.message),
  })
  return (
    <FileButton
      accept={accept}
      label={label}
      busy={upload.isPending}
      disabled={isOffline}
      onChosen={([file]) => file !== undefined && upload.mutate(file)}
    />
  )
}
