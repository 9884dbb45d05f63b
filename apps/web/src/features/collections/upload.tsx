import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FileButton } from '../../components/agents/file-button.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { uploadEntry } from './api.ts'

interface Failure {
  readonly file: string
  readonly reason: string
}

const TYPES = '.txt,.md,.html,.csv,.json,.jsonl,.yaml,.xml,.pdf,.docx,.pptx,.xlsx,.odt,.ods,.odp,.rtf,.epub,text/*'

/** Adds documents one after the other. One that is refused does not stop the others. */
export function Upload({ name, isUsable }: { readonly name: string; readonly isUsable: boolean }) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const [current, setCurrent] = useState('')
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const upload = useMutation({
    async mutationFn(files: readonly File[]) {
      const ended = new AbortController()
      running.current = ended
      setFailures([])
      let added = 0
      for (const file of files) {
        if (ended.signal.aborted) break
        setCurrent(file.name)
        try {
          await uploadEntry(name, file, ended.signal)
          added += 1
        } catch (error) {
          if (ended.signal.aborted) break
          const reason = error instanceof Error ? error.message : String(error)
          setFailures((before) => [...before, { file: file.name, reason }])
        }
      }
      if (added > 0) notify('success', t('uploaded', { count: added }))
    },
  })
  return (
    <>
      <FileButton
        kind="primary"
        multiple
        accept={TYPES}
        label={t('upload')}
        busy={upload.isPending}
        disabled={isOffline || !isUsable}
        onChosen={(files) => upload.mutate(files)}
      />
      {upload.isPending && (
        <>
          <Button onClick={() => running.current?.abort()}>{t('stop')}</Button>
          <span className="meta" role="status">
            {t('uploading', { name: current })}
          </span>
        </>
      )}
      {failures.length > 0 && (
        <Notice tone="bad">
          <p>{t('notUploaded')}</p>
          <ul className="problemList">
            {failures.map(({ file, reason }) => (
              <li key={file}>
                {file}: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
