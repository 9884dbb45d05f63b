import { useTranslation } from 'react-i18next'
import { useConnection } from '../../lib/connection.ts'
import type { ApiKey, KeyScopes } from '../../lib/keys.ts'
import { IconButton } from '../ui/button.tsx'
import { Status } from '../ui/status.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { isExpired } from './expiry.ts'
import type { Chosen } from './key-dialogs.tsx'

/** What can be done with a key. */
export function KeyActions({
  apiKey,
  onChoose,
}: {
  readonly apiKey: ApiKey
  readonly onChoose: (chosen: Chosen) => void
}) {
  const { t } = useTranslation('account')
  const { state } = useConnection()
  const actions = [
    ['edit', 'edit', t('keys.editNamed', { name: apiKey.name })],
    ['rotate', 'regenerate', t('keys.rotateNamed', { name: apiKey.name })],
    ['revoke', 'trash', t('keys.revokeNamed', { name: apiKey.name })],
  ] as const
  // An expired key can only go.
  const possible = isExpired(apiKey) ? actions.slice(2) : actions
  return possible.map(([what, icon, label]) => (
    <IconButton
      key={what}
      small
      icon={icon}
      label={label}
      disabled={state === 'offline'}
      onClick={() => onChoose({ what, key: apiKey })}
    />
  ))
}

/** Limits of a key, in words. */
export function ScopeLine({ scopes: { routes, models, addresses } }: { readonly scopes: KeyScopes }) {
  const { t } = useTranslation('account')
  const groups = routes?.map((group) => t(`scopes.group.${group}`, { defaultValue: group }))
  const limits = [groups, models, addresses].map((list) => list?.join(', '))
  return <p className="meta">{limits.filter(Boolean).join(' · ')}</p>
}

/** When a key ends. */
export function KeyEnd({ apiKey: { expiresAt } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('account')
  if (expiresAt === undefined) return <span className="faint">{t('keys.noEnd')}</span>
  if (isExpired({ expiresAt })) return <Status tone="bad">{t('keys.expired')}</Status>
  return <RelativeTime time={expiresAt} />
}
