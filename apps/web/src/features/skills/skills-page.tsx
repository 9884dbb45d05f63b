import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AgentsFrame } from '../../components/agents/agents-frame.tsx'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { ImportButton } from '../../components/agents/import-button.tsx'
import { NameDialog } from '../../components/agents/name-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { createSkill, deleteSkill, findArchive, importSkill, type Skill, skillConfigQuery, skillsQuery } from './api.ts'

/** The variable that lets agents have skills. */
const SWITCH = 'SVC_AGENT_POOL_ENABLE_SKILLS=true'
const NAME = '[a-z0-9]+(-[a-z0-9]+)*'
const ARCHIVES = '.tar,.tgz,.tar.gz,.zip,application/gzip,application/zip'

/** Skills: instructions that agents read when a task fits. */
export function SkillsPage() {
  const { t } = useTranslation('skills')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const skills = useQuery(skillsQuery)
  const config = useQuery(skillConfigQuery).data
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<string>()
  const open = (name: string) => void navigate({ to: '/app/agents/skills/$name', params: { name } })
  const add = (
    <Button kind="primary" icon="plus" disabled={isOffline} onClick={() => setMaking(true)}>
      {t('add')}
    </Button>
  )
  return (
    <AgentsFrame
      title={t('agents:tab.skills')}
      action={
        <>
          <ImportButton
            label={t('import')}
            accept={ARCHIVES}
            load={importSkill}
            toNews={(name) => t('imported', { name })}
            onMade={open}
          />
          {add}
        </>
      }
    >
      {config?.enabled === false && (
        <Notice tone="warn">
          {t('notOffered')} <code>{SWITCH}</code>
        </Notice>
      )}
      <QueryView query={skills} lines={4}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="thinking" title={t('none')} action={add}>
              {t('noneAbout')} {t('importAbout')}
            </EmptyState>
          ) : (
            <SkillTable skills={list} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {isMaking && (
        <NameDialog
          title={t('add')}
          action={t('make')}
          field={{ label: t('name'), hint: t('nameHint'), maxLength: 64, pattern: NAME }}
          create={(name) => createSkill(name, { description: t('newDescription'), content: '' })}
          onMade={open}
          onClose={() => setMaking(false)}
        />
      )}
      {doomed !== undefined && (
        <DeleteDialog
          title={t('deleteNamed', { name: doomed })}
          action={t('delete')}
          done={t('deleted', { name: doomed })}
          remove={() => deleteSkill(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteAbout')}
        </DeleteDialog>
      )}
    </AgentsFrame>
  )
}

function SkillTable({
  skills,
  onDelete,
}: {
  readonly skills: readonly Skill[]
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('skills')
  const isOffline = useConnection().state === 'offline'
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col">{t('description')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {skills.map(({ name, description, readOnly }) => (
          <tr key={name}>
            <td className="mainCell">
              <span className="row">
                <Link className="mainLink medium clip" to="/app/agents/skills/$name" params={{ name }}>
                  {name}
                </Link>
                {readOnly && <Badge>{t('readOnly')}</Badge>}
              </span>
            </td>
            <td className="minorCell clip">{description}</td>
            <td className="endCell number">
              <RowMenu
                label={t('actionsNamed', { name })}
                entries={[
                  {
                    id: 'export',
                    text: t('export'),
                    icon: 'activity',
                    onSelect: () => window.location.assign(findArchive(name)),
                  },
                  {
                    id: 'delete',
                    text: t('delete'),
                    icon: 'trash',
                    isDangerous: true,
                    isDisabled: isOffline || readOnly,
                    separator: true,
                    onSelect: () => onDelete(name),
                  },
                ]}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
