import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import * as styles from './agents.module.css'
import { sendMessage } from './api.ts'

/** The field for a message. Enter sends, Shift+Enter begins a line. A refused message stays in the field. */
export function AgentComposer({ name }: { readonly name: string }) {
  const { t } = useTranslation('agents')
  const isOffline = useConnection().state === 'offline'
  const [text, setText] = useState('')
  const send = useMutation({ mutationFn: () => sendMessage(name, text.trim()), onSuccess: () => setText('') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && !send.isPending && !isOffline) send.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // while an input method composes, Enter chooses its word
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
  }
  return (
    <form className={styles.composer} onSubmit={submit}>
      {send.isError && <ErrorBlock error={send.error} />}
      <TextArea
        label={t('chat.message')}
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <Button
          type="submit"
          kind="primary"
          icon="send"
          busy={send.isPending}
          disabled={isOffline || text.trim() === ''}
        >
          {t('chat.send')}
        </Button>
      </div>
    </form>
  )
}
