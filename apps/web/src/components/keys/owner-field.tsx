import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { usersQuery } from '../../lib/users.ts'
import { SelectField } from '../ui/field.tsx'

/** The account that a new key is for. @param value the id; empty for a service */
export function OwnerField({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const { t } = useTranslation('users')
  const users = useQuery(usersQuery).data ?? []
  return (
    <SelectField
      label={t('managedKeys.owner')}
      options={[
        ['', t('managedKeys.service')],
        ...users.map(({ id, name, email }) => [id, name === '' ? email : `${name} (${email})`] as const),
      ]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
