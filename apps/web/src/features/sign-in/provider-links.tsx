import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { toUrl } from '../../lib/base-path.ts'
import * as styles from './sign-in.module.css'

/** Links to the providers of accounts. @param inviteCode passed on to the provider's sign-in */
export function ProviderLinks({
  providers,
  inviteCode,
}: {
  readonly providers: readonly string[]
  readonly inviteCode?: string
}) {
  const { t } = useTranslation('sign-in')
  const query = inviteCode === undefined ? '' : `?invite_code=${encodeURIComponent(inviteCode)}`
  return providers.map((provider) => (
    <a key={provider} className={`${buttonClass()} ${styles.wide}`} href={toUrl(`api/auth/${provider}/login${query}`)}>
      <Icon name={provider === 'github' ? 'code' : 'lock'} small />
      {t(`provider.${provider}`, { defaultValue: t('provider.other', { provider }) })}
    </a>
  ))
}
