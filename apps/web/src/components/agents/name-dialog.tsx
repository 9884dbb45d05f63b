import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorBlock } from '../ui/states.tsx'

/** Asks for the name of a new thing and makes it. */
export function NameDialog({
  title,
  action,
  children,
  field,
  create,
  onMade,
  onClose,
}: {
  readonly title: string
  readonly action: string
  readonly children?: ReactNode
  /** What the field of the name says and takes. */
  readonly field: { readonly label: string; readonly hint?: string } & ComponentProps<'input'>
  readonly create: (name: string) => Promise<unknown>
  readonly onMade: (name: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('agents')
  const form = useId()
  const [name, setName] = useState('')
  const making = useMutation({ mutationFn: create })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const chosen = name.trim()
    making.mutate(chosen, { onSuccess: () => onMade(chosen) })
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={making.isPending}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        {children}
        <TextField
          required
          autoComplete="off"
          spellCheck={false}
          {...field}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {making.isError && <ErrorBlock error={making.error} />}
      </form>
    </Dialog>
  )
}
