import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { LeaveGuard } from '../../components/ui/leave-guard.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { findArchive, type Skill, skillQuery, updateSkill } from './api.ts'
import { FileEditor } from './file-editor.tsx'
import { FilesCard } from './files-card.tsx'
import * as styles from './skills.module.css'

const route = getRouteApi('/app/agents/skills/$name')

/** A skill: its instructions, and the files beside them. */
export function SkillPage() {
  const { t } = useTranslation('skills')
  const { name } = route.useParams()
  const { file } = route.useSearch()
  const navigate = route.useNavigate()
  const skill = useQuery(skillQuery(name))
  const open = (next: string | undefined) => void navigate({ search: { file: next } })
  return (
    <>
      <PageHead title={name}>
        <a className={`${buttonClass()} push`} href={findArchive(name)} download>
          {t('export')}
        </a>
      </PageHead>
      <div className={`page ${styles.page}`}>
        <QueryView query={skill} lines={8}>
          {(known) => (
            <>
              {file === undefined ? (
                <SkillEditor key={name} skill={known} />
              ) : (
                <FileEditor
                  key={file}
                  {...{ name, file }}
                  isReadOnly={known.readOnly}
                  onClose={() => open(undefined)}
                />
              )}
              <FilesCard name={name} open={file} isReadOnly={known.readOnly} onOpen={open} />
            </>
          )}
        </QueryView>
      </div>
    </>
  )
}

function SkillEditor({ skill }: { readonly skill: Skill }) {
  const { t } = useTranslation('skills')
  const isOffline = useConnection().state === 'offline'
  const [saved, setSaved] = useState({ description: skill.description, content: skill.content })
  const [text, setText] = useState(saved)
  const save = useMutation({
    mutationFn: () => updateSkill(skill, text),
    onSuccess() {
      setSaved(text)
      notify('success', t('saved', { name: skill.name }))
    },
  })
  const isChanged = text.description !== saved.description || text.content !== saved.content
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className={`stack ${styles.source}`} onSubmit={onSubmit}>
      <TextArea
        label={t('description')}
        hint={t('descriptionHint')}
        required
        rows={2}
        maxLength={4096}
        readOnly={skill.readOnly}
        value={text.description}
        onChange={({ target }) => setText({ ...text, description: target.value })}
      />
      <TextArea
        label={t('instructions')}
        hint={t('instructionsHint')}
        rows={16}
        spellCheck={false}
        readOnly={skill.readOnly}
        value={text.content}
        onChange={({ target }) => setText({ ...text, content: target.value })}
      />
      {save.isError && <ErrorBlock error={save.error} />}
      {skill.readOnly ? (
        <p className="meta">{t('readOnlyAbout')}</p>
      ) : (
        <div className="row">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged || isOffline}>
            {t('save')}
          </Button>
          {isChanged && <span className="meta">{t('agents:leave.unsaved')}</span>}
        </div>
      )}
      <LeaveGuard isNeeded={() => isChanged} isSearchToo />
    </form>
  )
}
