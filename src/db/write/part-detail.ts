import type { PartRow } from '../../model/rows.ts'
import { repairedJson } from '../../model/text.ts'
import type {
  ApprovalRequestDetail,
  ApprovalResponseDetail,
  DataDetail,
  FileDetail,
  ToolCallDetail,
  ToolResultDetail,
} from '../part-detail.ts'

type Fields<T> = { [K in keyof T]-?: NonNullable<T[K]> | null | undefined }

/** What `parts.detail` keeps of a part: its fields without those that are null, as JSON; null when nothing is left. */
export function partDetail(part: PartRow): { readonly detail: string | null; readonly isRepaired: boolean } {
  const all = fieldsOf(part)
  if (all === null) return NO_DETAIL
  const present = Object.entries(all).filter(([, field]) => field !== null && field !== undefined)
  if (present.length === 0) return NO_DETAIL
  const { json, isRepaired } = repairedJson(Object.fromEntries(present))
  return { detail: json, isRepaired }
}

const NO_DETAIL = { detail: null, isRepaired: false }

const fields = <T extends object>(all: Fields<T>): object => all

function fieldsOf(part: PartRow): object | null {
  switch (part.kind) {
    case 'TEXT':
    case 'REASONING':
      return null
    case 'FILE':
      return fields<FileDetail>({ mediaType: part.mediaType, fileName: part.fileName, url: part.url })
    case 'TOOL_CALL':
      return fields<ToolCallDetail>({
        callId: part.callId,
        summary: part.summary,
        command: part.command,
        mcpServer: part.mcpServer,
        isProviderExecuted: part.isProviderExecuted || null,
        startedAt: part.startedAt,
        endedAt: part.endedAt,
        childNativeId: part.childNativeId,
      })
    case 'TOOL_RESULT':
      return fields<ToolResultDetail>({
        callId: part.callId,
        isFailure: part.isFailure,
        exitCode: part.exitCode,
        filePath: part.filePath,
        isString: typeof part.result === 'string' || null,
      })
    case 'TOOL_APPROVAL_REQUEST':
      return fields<ApprovalRequestDetail>({ approvalId: part.approvalId, toolCallId: part.toolCallId })
    case 'TOOL_APPROVAL_RESPONSE':
      return fields<ApprovalResponseDetail>({
        approvalId: part.approvalId,
        isApproved: part.isApproved,
        reason: part.reason,
      })
    case 'DATA':
      return fields<DataDetail>({ dataType: part.dataType, label: part.label })
  }
}
