import { useTranslation } from 'react-i18next'
import { RowMenu } from '../../components/ui/menu.tsx'
import { useConnection } from '../../lib/connection.ts'

/** Actions on the whole list. */
export function TracesMenu({
  isCompact,
  onCompact,
  onExport,
  onClear,
}: {
  readonly isCompact: boolean
  readonly onCompact: (isCompact: boolean) => void
  readonly onExport: () => void
  readonly onClear: () => void
}) {
  const { t } = useTranslation('traces')
  const isOffline = useConnection().state === 'offline'
  return (
    <RowMenu
      label={t('menu.label')}
      entries={[
        {
          id: 'rows',
          text: isCompact ? t('menu.normal') : t('menu.compact'),
          icon: 'menu',
          onSelect: () => onCompact(!isCompact),
        },
        { id: 'export', text: t('menu.export'), icon: 'file', onSelect: onExport },
        {
          id: 'clear',
          text: t('menu.clear'),
          icon: 'trash',
          isDangerous: true,
          isDisabled: isOffline,
          separator: true,
          onSelect: onClear,
        },
      ]}
    />
  )
}
