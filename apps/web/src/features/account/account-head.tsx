import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'

/** The head of both views of the account. */
export function AccountHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  const { t } = useTranslation('account')
  return (
    <PageHead title={title}>
      <TabLinks
        label={t('nav.account')}
        links={[
          { to: '/app/account', text: t('profile.tab') },
          { to: '/app/account/keys', text: t('keys.tab') },
        ]}
      />
      {children}
    </PageHead>
  )
}
