import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { LeaveGuard } from '../../components/ui/leave-guard.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { fileTextQuery, writeFile } from './api.ts'
import * as styles from './skills.module.css'

interface FileProps {
  readonly name: string
  readonly file: string
  readonly isReadOnly: boolean
  readonly onClose: () => void
}

/** A text file of a skill. */
export function FileEditor(props: FileProps) {
  const text = useQuery(fileTextQuery(props.name, props.file))
  return (
    <QueryView query={text} lines={8}>
      {(content) => <FileText {...props} content={content} />}
    </QueryView>
  )
}

function FileText({ name, file, isReadOnly, content, onClose }: FileProps & { readonly content: string }) {
  const { t } = useTranslation('skills')
  const isOffline = useConnection().state === 'offline'
  const [saved, setSaved] = useState(content)
  const [text, setText] = useState(content)
  const save = useMutation({
    mutationFn: () => writeFile(name, file, text),
    onSuccess() {
      setSaved(text)
      notify('success', t('saved', { name: file }))
    },
  })
  const isChanged = text !== saved
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className={`stack ${styles.source}`} onSubmit={onSubmit}>
      <TextArea
        label={file}
        rows={18}
        spellCheck={false}
        readOnly={isReadOnly}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {save.isError && <ErrorBlock error={save.error} />}
      <div className="row">
        {!isReadOnly && (
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged || isOffline}>
            {t('save')}
          </Button>
        )}
        <Button onClick={onClose}>{t('back')}</Button>
        {isChanged && <span className="meta">{t('agents:leave.unsaved')}</span>}
      </div>
      <LeaveGuard isNeeded={() => isChanged} isSearchToo />
    </form>
  )
}
