import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { EMPTY_DRAFT } from '../../lib/chat/drafts.ts'
import type { ChatModel } from '../../lib/chat/models.ts'
import { useObservable } from '../../lib/chat/observable.ts'
import type { Attachment } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { useConnection } from '../../lib/connection.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { AttachButton, AttachmentList, useAttachments } from './attachment-list.tsx'
import * as styles from './composer.module.css'
import { ModelPicker } from './model-picker.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

interface ComposerProps {
  /** The chat whose draft this is, or a place such as `home`. */
  readonly draftKey: string
  readonly models: readonly ChatModel[] | undefined
  readonly model: string
  readonly onModel: (model: string) => void
  readonly placeholder: string
  readonly isRunning?: boolean
  readonly rows?: number
  /** More ways to fill the field, beside the one for files. */
  readonly tools?: ReactNode
  /** More switches beside the model. */
  readonly children?: ReactNode
  readonly onSend: (text: string, attachments: readonly Attachment[], editedId: string | undefined) => void
  readonly onStop?: () => void
}

/** Field to write a message. Enter sends, Shift+Enter begins a line; the typed text outlives a change of page. */
export function Composer(props: ComposerProps) {
  const { t } = useTranslation('chat')
  const { draftKey, models, model, isRunning = false, onSend, onStop } = props
  const draft = useChatStore().drafts.open(draftKey)
  const { text, attachments, failure, editedId } = useObservable(draft)
  const { state } = useConnection()
  const known = models?.find(({ id }) => id === model)
  const { refused, add, remove, clear } = useAttachments(draft, known?.inputs)
  const field = useRef<HTMLTextAreaElement>(null)
  const isEmpty = text.trim() === '' && attachments.length === 0
  const canSend = !isEmpty && !isRunning && model !== '' && state === 'online'
  // a message comes here to be edited
  useEffect(() => {
    if (editedId !== undefined) field.current?.focus()
  }, [editedId])
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!canSend) return
    draft.set(EMPTY_DRAFT)
    clear()
    onSend(text, attachments, editedId)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // while an input method composes, Enter chooses its word; some browsers show this only by the key code
    if (event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229) return
    if (event.key === 'Escape' && editedId !== undefined && !isRunning) draft.set(EMPTY_DRAFT)
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    submit()
  }
  return (
    <form className={styles.composer} onSubmit={submit}>
      {failure && (
        <RefusalNotice
          failure={failure}
          text={text}
          model={model}
          hasMedia={attachments.some(({ kind }) => kind !== 'text')}
          onClose={() => draft.set({ ...draft.get(), failure: undefined })}
        />
      )}
      {editedId !== undefined && (
        <p className={`${styles.editing} meta`}>
          {t('composer.editing')}
          <Button kind="ghost" small onClick={() => draft.set(EMPTY_DRAFT)}>
            {t('common:cancel')}
          </Button>
        </p>
      )}
      <AttachmentList attachments={attachments} refused={refused} model={model} onRemove={remove} />
      <textarea
        ref={field}
        data-composer
        rows={Math.max(props.rows ?? 1, Math.min(12, text.split('\n').length))}
        aria-label={t('composer.label')}
        placeholder={props.placeholder}
        value={text}
        onChange={({ target }) => draft.set({ ...draft.get(), text: target.value })}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const { files } = event.clipboardData
          if (files.length === 0) return
          event.preventDefault()
          add(files)
        }}
      />
      <div className={`row ${styles.tools}`}>
        <AttachButton onFiles={add} />
        {props.tools}
        <ModelPicker models={models} model={model} onModel={props.onModel} />
        {props.children}
        {isRunning ? (
          <button
            type="button"
            className={`${buttonClass()} ${styles.stop} push`}
            aria-keyshortcuts="Escape"
            onClick={onStop}
          >
            <Icon name="stop" small />
            {t('composer.stop')}
            <kbd className="notOnPhone">Esc</kbd>
          </button>
        ) : (
          <Button kind="primary" type="submit" icon="send" className="push" disabled={!canSend}>
            {t('composer.send')}
          </Button>
        )}
      </div>
      {(known?.isFiltered || known?.isTraced) && (
        <p className={`meta ${styles.treats}`}>
          {known.isFiltered && t('composer.filtered')} {known.isTraced && t('composer.traced')}
        </p>
      )}
    </form>
  )
}
