import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Switch } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import type { User } from '../../lib/users.ts'
import { grantsQuery, permissionsQuery, useSetPermissions } from './api.ts'
import { ModelsForm } from './models-form.tsx'
import { QuotasForm } from './quotas-form.tsx'
import { findExplicit } from './user-list.ts'
import * as styles from './users.module.css'

type Part = 'features' | 'models' | 'quotas'

/** Rights of an account: features, models and quotas. */
export function RightsDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation('users')
  const [part, setPart] = useState<Part>('features')
  const grants = useQuery(grantsQuery)
  return (
    <Dialog
      title={t('rights.title', { name: user.name || user.email })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('close')}</Button>}
    >
      <Segmented
        label={t('rights.part')}
        value={part}
        options={[
          ['features', t('rights.features')],
          ['models', t('rights.models')],
          ['quotas', t('rights.quotas')],
        ]}
        onChange={setPart}
      />
      {user.role === 'admin' && <Notice>{t('rights.admin')}</Notice>}
      <QueryView query={grants} lines={6} height={28}>
        {({ models, ...groups }) => {
          if (part === 'models') return <ModelsForm user={user} models={models} />
          if (part === 'quotas') return <QuotasForm user={user} models={models} />
          return <FeatureSwitches user={user} groups={groups} />
        }}
      </QueryView>
    </Dialog>
  )
}

const GROUPS = ['api_features', 'agent_features', 'general_features'] as const

interface Feature {
  readonly key: string
  readonly label: string
  readonly default: boolean
}

function FeatureSwitches({
  user,
  groups,
}: {
  readonly user: User
  readonly groups: Readonly<Record<(typeof GROUPS)[number], readonly Feature[]>>
}) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const capabilities: Readonly<Record<string, boolean>> = useCapabilities()
  const isServed = ({ key }: Feature) => capabilities[key] === true
  const permissions = useQuery(permissionsQuery(user.id))
  const setPermissions = useSetPermissions(user.id, ({ message }) =>
    notify('error', t('refused', { email: user.email, message })),
  )
  const all = [...groups.api_features, ...groups.agent_features, ...groups.general_features]
  return (
    <QueryView query={permissions} lines={6} height={28}>
      {(switches) =>
        GROUPS.filter((group) => groups[group].some(isServed)).map((group) => (
          <fieldset key={group} className={styles.features}>
            <legend className={fieldStyles.label}>{t(`rights.group.${group}`)}</legend>
            {groups[group].filter(isServed).map(({ key, label }) => (
              <Switch
                key={key}
                label={t(`feature.${key}`, { defaultValue: label })}
                checked={switches[key] === true}
                disabled={user.role === 'admin' || state === 'offline'}
                onChange={({ target }) => {
                  const next = { ...switches, [key]: target.checked }
                  setPermissions.mutate({ permissions: next, explicit: findExplicit(next, all) })
                }}
              />
            ))}
          </fieldset>
        ))
      }
    </QueryView>
  )
}
