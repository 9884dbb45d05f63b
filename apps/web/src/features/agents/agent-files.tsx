import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { formatBytes } from '../../lib/format.ts'
import * as styles from './agents.module.css'
import { type AgentFile, filesQuery, findFile } from './api.ts'

/** The files of an agent, folder by folder. */
export function AgentFiles({ name }: { readonly name: string }) {
  const { t } = useTranslation('agents')
  const [folder, setFolder] = useState('')
  const files = useQuery(filesQuery(name, folder))
  return (
    <section className="stack" aria-label={t('view.files')}>
      {folder !== '' && (
        <div className="row">
          <Button
            small
            icon="chevron-left"
            onClick={() => setFolder(folder.slice(0, Math.max(0, folder.lastIndexOf('/'))))}
          >
            {t('file.up')}
          </Button>
          <code className="clip">{folder}</code>
        </div>
      )}
      <QueryView query={files} lines={4}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="file" title={t('file.none')}>
              {t('file.noneAbout')}
            </EmptyState>
          ) : (
            <ul className={styles.files}>
              {list.map((file) => (
                <FileRow key={file.name} {...{ name, folder, file }} onOpen={setFolder} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  )
}

function FileRow({
  name,
  folder,
  file,
  onOpen,
}: {
  readonly name: string
  readonly folder: string
  readonly file: AgentFile
  readonly onOpen: (folder: string) => void
}) {
  const path = folder === '' ? file.name : `${folder}/${file.name}`
  const look = `${buttonClass('ghost', 'small')} clip`
  return (
    <li className="row">
      {file.type === 'folder' ? (
        <button type="button" className={look} onClick={() => onOpen(path)}>
          <Icon name="chevron-right" small />
          {file.name}
        </button>
      ) : (
        <>
          <a className={look} href={findFile(name, path)} download={file.name}>
            <Icon name="file" small />
            {file.name}
          </a>
          <span className="meta push">{formatBytes(file.size)}</span>
        </>
      )}
    </li>
  )
}
