import { useMutation } from '@tanstack/react-query'
import { useConnection } from '../../lib/connection.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { ErrorBlock } from './states.tsx'

/** Says that something is switched off, with the button that switches it on. */
export function OffNotice({
  title,
  about,
  action,
  onSwitchOn,
}: {
  readonly title: string
  readonly about: string
  readonly action: string
  readonly onSwitchOn: () => Promise<void>
}) {
  const { state } = useConnection()
  const on = useMutation({ mutationFn: onSwitchOn })
  return (
    <div data-off>
      <Notice
        tone="warn"
        actions={
          <Button small busy={on.isPending} disabled={state === 'offline'} onClick={() => on.mutate()}>
            {action}
          </Button>
        }
      >
        <b>{title}</b> {about}
      </Notice>
      {on.isError && <ErrorBlock error={on.error} />}
    </div>
  )
}
