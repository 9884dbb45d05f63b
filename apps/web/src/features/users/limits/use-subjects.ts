import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { groupsQuery, type Limit } from '../../../lib/limits.ts'
import { modelNamesQuery } from '../../../lib/server-state.ts'
import { useSession } from '../../../lib/session.ts'
import { usersQuery } from '../../../lib/users.ts'
import { managedKeysQuery } from '../keys-api.ts'
import { EACH, type SubjectKind } from './limit-form.ts'

type Choice = readonly [id: string, name: string]

/** Names of the subjects that limits can have. */
export interface Subjects {
  /** The subjects of a kind to choose from; undefined for a kind whose subjects are typed. */
  readonly list: (kind: SubjectKind) => readonly Choice[] | undefined
  /** Whom a limit is for, in words. */
  readonly say: (limit: Pick<Limit, 'subject_kind' | 'subject_id'>) => string
}

/** Names accounts, keys, groups and models. Of others the id is the name. */
export function useSubjects(): Subjects {
  const { t } = useTranslation('limits')
  const { hasAccounts } = useSession()
  const users = useQuery({ ...usersQuery, enabled: hasAccounts }).data ?? []
  const keys = useQuery({ ...managedKeysQuery, enabled: hasAccounts }).data ?? []
  const groups = (useQuery({ ...groupsQuery, enabled: hasAccounts }).data ?? []).map(
    ({ id, name }): Choice => [id, name],
  )
  const models = useQuery(modelNamesQuery).data ?? []
  const choices: Partial<Record<SubjectKind, readonly Choice[]>> = {
    account: users.map(({ id, name, email }) => [id, name === '' ? email : `${name} (${email})`]),
    key: keys.map(({ id, name, keyPrefix }) => [id, `${name} (${keyPrefix}…)`]),
    group: groups,
    group_member: groups,
    model: models.map((name) => [name, name]),
  }
  return {
    list: (kind) => choices[kind],
    say({ subject_kind: kind, subject_id: id }) {
      const name = choices[kind]?.find(([known]) => known === id)?.[1] ?? id
      if (kind === 'group_member') return t('memberOf', { group: name })
      return id === EACH ? t(`each.${kind}`) : name
    },
  }
}
