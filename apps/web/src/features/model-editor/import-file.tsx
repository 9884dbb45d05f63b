import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import * as styles from './model-editor.module.css'
import { SendForm, SendProgress } from './send-panel.tsx'
import { useSentFile } from './sent-file.ts'

/** Limit of a model file's size. A model file is a page of text; a larger file is something else. */
const MAX_BYTES = 1024 * 1024

/** Takes a file of this computer: weights go to the server, a model file opens in the editor. */
export function ImportFile({ onRead }: { readonly onRead: (text: string) => void }) {
  const { t } = useTranslation('model-editor')
  const [fault, setFault] = useState<string>()
  const [weights, setWeights] = useState<File>()
  const sent = useSentFile()
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    setFault(undefined)
    if (/\.gguf$/i.test(file.name)) return setWeights(file)
    if (file.size > MAX_BYTES) return setFault(t('file.tooLarge', { name: file.name }))
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
      return onRead(text)
    } catch {
      return setFault(t('file.notText', { name: file.name }))
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void read(event.dataTransfer.files[0])
  }
  if (sent !== undefined && sent.model === undefined)
    return (
      <div className={`stack ${styles.import}`}>
        <SendProgress sent={sent} />
      </div>
    )
  return (
    <div className={`stack ${styles.import}`}>
      {weights === undefined ? (
        <label className={`card ${styles.drop}`} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
          <Icon name="file" />
          <b>{t('file.choose')}</b>
          <span className="muted">{t('file.about')}</span>
          <input type="file" accept=".gguf,.yaml,.yml,.json" onChange={({ target }) => void read(target.files?.[0])} />
        </label>
      ) : (
        <SendForm file={weights} onCancel={() => setWeights(undefined)} />
      )}
      {fault && <Notice tone="bad">{fault}</Notice>}
    </div>
  )
}
