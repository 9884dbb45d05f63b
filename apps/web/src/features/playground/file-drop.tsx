import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { formatBytes } from '../../lib/format.ts'
import * as styles from './playground.module.css'

/** A place for one file: dropped, chosen, or made by the controls inside. */
export function FileDrop({
  accept,
  file,
  title,
  onFile,
  onRemove,
  children,
}: {
  /** Media types of the file dialog. The server decides by the bytes. */
  readonly accept: string
  readonly file: File | undefined
  readonly title: string
  readonly onFile: (file: File) => void
  /** Takes the file away. @default the file can only be replaced */
  readonly onRemove?: () => void
  /** More ways to get a file. */
  readonly children?: ReactNode
}) {
  const { t } = useTranslation('playground')
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no drops in some browsers
    <div
      className={styles.drop}
      role="group"
      aria-label={title}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const [dropped] = event.dataTransfer.files
        if (dropped !== undefined) onFile(dropped)
      }}
    >
      <p>
        {file === undefined ? (
          title
        ) : (
          <>
            <b>{file.name}</b> <span className="meta">{formatBytes(file.size)}</span>
          </>
        )}
      </p>
      <div className="row wrap">
        <Button icon="file" onClick={() => input.current?.click()}>
          {file === undefined ? t('file.choose') : t('file.another')}
        </Button>
        {onRemove && <IconButton icon="x" label={t('file.remove')} onClick={onRemove} />}
        {children}
      </div>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        data-file
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          if (chosen !== undefined) onFile(chosen)
          target.value = ''
        }}
      />
    </div>
  )
}
