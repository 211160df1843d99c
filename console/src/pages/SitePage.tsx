import '../site/site.css'
import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Leaving } from '../frame/Leaving.tsx'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { dropDraft, hasDraft } from '../modelx/draft.ts'
import { installationRecord, OTHERS_MS, rights } from '../queries.ts'
import type { Installation } from '../site/api.ts'
import { DeleteSite } from '../site/DeleteSite.tsx'
import { General } from '../site/General.tsx'
import { Metadata } from '../site/Metadata.tsx'
import { People } from '../site/People.tsx'
import { RetentionForm } from '../site/RetentionForm.tsx'
import { daysDrafts, settingsDrafts } from '../site/settings.ts'
import { UsageBars } from '../site/UsageBars.tsx'
import { Whole } from '../site/Whole.tsx'
import { useTexts } from '../texts/texts.ts'

const hasAny = () => settingsDrafts.has() || daysDrafts.has() || hasDraft()

function dropAll(): void {
  settingsDrafts.drop()
  daysDrafts.drop()
  dropDraft()
}

/** The settings of an installation. */
export function SitePage() {
  const { id } = useParams({ from: '/frame/installations/$id/site' })
  const { data, error, refetch } = useQuery({
    ...installationRecord(id),
    refetchInterval: OTHERS_MS
  })
  const may = useQuery(rights(id)).data
  return (
    <div className="site">
      {data && may ? (
        <Parts installation={data} may={may} />
      ) : error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : (
        <Skeleton h={400} radius={12} />
      )}
      <Leaving hasDraft={hasAny} dropDraft={dropAll} keys={[]} />
    </div>
  )
}

type PartsProps = { installation: Installation; may: Readonly<Record<string, boolean>> }

function Parts({ installation, may }: PartsProps) {
  const { site: t } = useTexts()
  const { id } = installation
  const mayEdit = may['installation/update'] === true
  return (
    <>
      {!mayEdit && <Text className="note">{t.mayOnlyLook}</Text>}
      <Part title={t.general}>
        <General installation={installation} mayEdit={mayEdit} />
      </Part>
      <Part title={t.people} help={t.peopleHelp}>
        <People installation={installation} mayEdit={mayEdit} />
      </Part>
      <Part title={t.metadata}>
        <Metadata installation={installation} mayEdit={mayEdit} />
      </Part>
      <Part title={t.usage} help={t.usageHelp}>
        <UsageBars id={id} />
      </Part>
      <Part title={t.retention}>
        <RetentionForm id={id} mayEdit={mayEdit} />
      </Part>
      <Part title={t.export}>
        {may['log/read'] && (
          <Link to="/installations/$id/values" params={{ id }} className="link">
            {t.values}
          </Link>
        )}
        <Whole installation={installation} mayExport={may['site/export'] === true} />
      </Part>
      <Part title={t.delete} help={t.deleteHelp}>
        {may['installation/delete'] ? (
          <DeleteSite installation={installation} />
        ) : (
          <Text className="muted">{t.deleteAsk}</Text>
        )}
      </Part>
    </>
  )
}
