import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_BODY_BYTES, type RefusedFile, readAttachments } from '../../lib/chat/attachments.ts'
import type { Draft } from '../../lib/chat/drafts.ts'
import type { MutableObservable } from '../../lib/chat/observable.ts'
import type { Attachment } from '../../lib/chat/types.ts'
import { formatBytes } from '../../lib/format.ts'
import { IconButton } from '../ui/button.tsx'
import * as fieldStyles from '../ui/field.module.css'
import { Icon } from '../ui/icon.tsx'
import * as composerStyles from './composer.module.css'

const NO_INPUTS: ReadonlySet<string> = new Set()
const LIMIT = `${MAX_BODY_BYTES / 1_000_000} MB`

/**
 * The files of a draft. Files that are dropped anywhere on the page go to them.
 *
 * @param inputs kinds that the model takes besides text
 */
export function useAttachments(draft: MutableObservable<Draft>, inputs: ReadonlySet<string> = NO_INPUTS) {
  const [refused, setRefused] = useState<readonly RefusedFile[]>([])
  const add = async (files: Iterable<File>) => {
    const taken = draft.get().attachments.reduce((sum, { data }) => sum + data.length, 0)
    const read = await readAttachments(files, inputs, taken)
    const now = draft.get()
    draft.set({ ...now, attachments: [...now.attachments, ...read.attachments] })
    setRefused(read.refused)
  }
  const addNow = useRef(add)
  addNow.current = add
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
    const onDragOver = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      void addNow.current([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', onDragOver)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onDragOver)
      removeEventListener('drop', onDrop)
    }
  }, [])
  return {
    refused,
    add: (files: Iterable<File>) => void add([...files]),
    remove: (id: string) =>
      draft.set({ ...draft.get(), attachments: draft.get().attachments.filter((file) => file.id !== id) }),
    clear: () => setRefused([]),
  }
}

/** Picks files. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const { t } = useTranslation('chat')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        small
        icon="attach"
        label={t('composer.attach', { limit: LIMIT })}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        onChange={({ target }) => {
          onFiles(target.files ?? [])
          target.value = ''
        }}
      />
    </>
  )
}

/** The files of a message that is being written, and the files that were refused. */
export function AttachmentList({
  attachments,
  refused,
  model,
  onRemove,
}: {
  readonly attachments: readonly Attachment[]
  readonly refused: readonly RefusedFile[]
  readonly model: string
  readonly onRemove: (id: string) => void
}) {
  const { t } = useTranslation('chat')
  return (
    <>
      {attachments.length > 0 && (
        <ul className={composerStyles.files} aria-label={t('composer.files')}>
          {attachments.map((attachment) => (
            <li key={attachment.id}>
              <AttachedFile attachment={attachment} />
              <IconButton
                small
                icon="x"
                label={t('composer.remove', { name: attachment.name })}
                onClick={() => onRemove(attachment.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <div role="status">
        {refused.map(({ name, reason, kind }) => (
          <p key={name} className={`${fieldStyles.hint} ${fieldStyles.error} ${composerStyles.refused}`}>
            <Icon name="warn" small />
            {t(`composer.refused.${reason}`, { name, kind, model, limit: LIMIT })}
          </p>
        ))}
      </div>
    </>
  )
}

/** A file that goes or went with a message. */
export function AttachedFile({ attachment }: { readonly attachment: Attachment }) {
  const { kind, name, bytes, data } = attachment
  return (
    <span className={composerStyles.file} title={name}>
      {kind === 'image' ? <img src={data} alt="" /> : <Icon name="file" small />}
      <span className="clip">{name}</span>
      <span className="meta">{formatBytes(bytes)}</span>
    </span>
  )
}
