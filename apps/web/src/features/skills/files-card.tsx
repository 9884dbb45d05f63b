import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { FileButton } from '../../components/agents/file-button.tsx'
import { buttonClass, IconButton } from '../../components/ui/button.tsx'
import { SelectField } from '../../components/ui/field.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import { addFile, deleteFile, filesQuery, findFile, type SkillFile } from './api.ts'
import * as styles from './skills.module.css'

const FOLDERS = ['references', 'scripts', 'assets'] as const

/** The files beside the instructions of a skill. @param open the one that is edited */
export function FilesCard({
  name,
  open,
  isReadOnly,
  onOpen,
}: {
  readonly name: string
  readonly open: string | undefined
  readonly isReadOnly: boolean
  readonly onOpen: (file: string | undefined) => void
}) {
  const { t } = useTranslation('skills')
  const files = useQuery(filesQuery(name))
  const [doomed, setDoomed] = useState<string>()
  return (
    <section className="card" aria-labelledby="skill-files">
      <header>
        <h2 id="skill-files">{t('files')}</h2>
      </header>
      <QueryView query={files} lines={3}>
        {(list) =>
          list.length === 0 ? (
            <p className="cardBody muted">{t('noFiles')}</p>
          ) : (
            <ul className={styles.files}>
              {list.map((file) => (
                <FileRow key={file.path} {...{ name, file, isReadOnly, onOpen }} onDelete={setDoomed} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {!isReadOnly && <AddFile name={name} />}
      {doomed !== undefined && (
        <DeleteDialog
          title={t('deleteNamed', { name: doomed })}
          action={t('delete')}
          done={t('deleted', { name: doomed })}
          remove={() => deleteFile(name, doomed)}
          onDone={() => doomed === open && onOpen(undefined)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteFileAbout')}
        </DeleteDialog>
      )}
    </section>
  )
}

function FileRow({
  name,
  file: { path, size, readable },
  isReadOnly,
  onOpen,
  onDelete,
}: {
  readonly name: string
  readonly file: SkillFile
  readonly isReadOnly: boolean
  readonly onOpen: (file: string) => void
  readonly onDelete: (file: string) => void
}) {
  const { t } = useTranslation('skills')
  const isOffline = useConnection().state === 'offline'
  return (
    <li className="row">
      {readable ? (
        <button type="button" className={`${buttonClass('ghost', 'small')} clip`} onClick={() => onOpen(path)}>
          {path}
        </button>
      ) : (
        <a className={`${buttonClass('ghost', 'small')} clip`} href={findFile(name, path)} download>
          {path}
        </a>
      )}
      <span className="meta push">{formatBytes(size)}</span>
      {!isReadOnly && (
        <IconButton
          small
          icon="trash"
          label={t('deleteNamed', { name: path })}
          disabled={isOffline}
          onClick={() => onDelete(path)}
        />
      )}
    </li>
  )
}

function AddFile({ name }: { readonly name: string }) {
  const { t } = useTranslation('skills')
  const isOffline = useConnection().state === 'offline'
  const [folder, setFolder] = useState<string>('references')
  const add = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) await addFile(name, file, `${folder}/${file.name}`)
    },
    onSuccess: () => notify('success', t('added')),
  })
  return (
    <div className="cardBody stack">
      <div className={`row wrap ${styles.add}`}>
        <SelectField
          label={t('folder')}
          options={FOLDERS.map((each) => [each, each] as const)}
          value={folder}
          onChange={({ target }) => setFolder(target.value)}
        />
        <FileButton
          multiple
          label={t('addFiles')}
          busy={add.isPending}
          disabled={isOffline}
          onChosen={(files) => add.mutate(files)}
        />
      </div>
      {add.isError && <ErrorBlock error={add.error} />}
    </div>
  )
}
