import { useRef } from 'react'
import { Button } from '../ui/button.tsx'

/** A button that lets files be chosen. */
export function FileButton({
  label,
  accept,
  multiple = false,
  busy = false,
  disabled,
  kind = 'plain',
  onChosen,
}: {
  readonly label: string
  readonly accept?: string
  readonly multiple?: boolean
  readonly busy?: boolean
  readonly disabled: boolean
  readonly kind?: 'plain' | 'primary'
  readonly onChosen: (files: readonly File[]) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        className="visuallyHidden"
        tabIndex={-1}
        aria-hidden="true"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          // the same file can be chosen again
          target.value = ''
          if (files.length > 0) onChosen(files)
        }}
      />
      <Button kind={kind} icon="up" busy={busy} disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  )
}
