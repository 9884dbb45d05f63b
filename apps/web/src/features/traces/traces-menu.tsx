import { useTranslation } from 'react-i18next'
import { RowMenu } from '../../components/ui/menu.tsx'

/** What can be done with the whole list. */
export function TracesMenu({ onExport, onClear }: { readonly onExport: () => void; readonly onClear: () => void }) {
  const { t } = useTranslation('traces')
  return (
    <RowMenu
      label={t('menu.label')}
      entries={[
        { id: 'export', text: t('menu.export'), icon: 'file', onSelect: onExport },
        { id: 'clear', text: t('menu.clear'), icon: 'trash', isDangerous: true, separator: true, onSelect: onClear },
      ]}
    />
  )
}
