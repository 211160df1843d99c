import { Text } from '@mantine/core'
import { DownloadFile } from '../frame/DownloadFile.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Installation, siteFile } from './api.ts'

type Props = { installation: Installation; mayExport: boolean }

/** The installation as one file, for another platform. */
export function Whole({ installation: { id, name }, mayExport }: Props) {
  const { site: t, error } = useTexts()
  return (
    <>
      <div>
        <Text fw={600}>{t.whole}</Text>
        <Text className="muted">{t.wholeHelp}</Text>
        <Text className="muted">{t.wholeLeft}</Text>
        {!mayExport && <Text className="muted">{error.needs('site/export')}</Text>}
      </div>
      {mayExport && (
        <DownloadFile
          load={(coming) => siteFile(id, coming)}
          file={`${name}.site`}
          permission="site/export"
        />
      )}
    </>
  )
}
