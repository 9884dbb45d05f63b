import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { Notice } from '../../components/ui/notice.tsx'

/** A model file is a page of text; what is larger is something else. */
const MAX_BYTES = 1024 * 1024

/** Opens a model file of this computer in the editor. */
export function ImportFile({ onRead }: { readonly onRead: (text: string) => void }) {
  const { t } = useTranslation('model-editor')
  const [fault, setFault] = useState<string>()
  const read = async (file: File | undefined) => {
    if (file === undefined) return
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
  return (
    <div className="stack import">
      <label className="card drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <Icon name="file" />
        <b>{t('file.choose')}</b>
        <span className="t2">{t('file.about')}</span>
        <input type="file" accept=".yaml,.yml,.json" onChange={({ target }) => void read(target.files?.[0])} />
      </label>
      {fault && <Notice tone="bad">{fault}</Notice>}
    </div>
  )
}
