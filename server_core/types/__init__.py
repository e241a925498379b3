"""Values of the protocol as authors write and read them: JSON objects whose members are attributes as well.

Each is a `dict` as it goes over the wire: `block["toolUseId"]`, `block.toolUseId` and `block.tool_use_id` are the same,
and `_meta` is `meta` as well. An optional member that is missing is None.

Source: the schemas of the specification; the classes are named as in the schemas.
"""

from server_core.types.choice_schemas import LegacyTitledEnumSchema as LegacyTitledEnumSchema
from server_core.types.choice_schemas import TitledMultiSelectEnumSchema as TitledMultiSelectEnumSchema
from server_core.types.choice_schemas import TitledSingleSelectEnumSchema as TitledSingleSelectEnumSchema
from server_core.types.choice_schemas import UntitledMultiSelectEnumSchema as UntitledMultiSelectEnumSchema
from server_core.types.choice_schemas import UntitledSingleSelectEnumSchema as UntitledSingleSelectEnumSchema
from server_core.types.content_blocks import AudioContent as AudioContent
from server_core.types.content_blocks import BlobResourceContents as BlobResourceContents
from server_core.types.content_blocks import CallToolResult as CallToolResult
from server_core.types.content_blocks import ContentBlock as ContentBlock
from server_core.types.content_blocks import EmbeddedResource as EmbeddedResource
from server_core.types.content_blocks import GetPromptResult as GetPromptResult
from server_core.types.content_blocks import ImageContent as ImageContent
from server_core.types.content_blocks import ModelHint as ModelHint
from server_core.types.content_blocks import ModelPreferences as ModelPreferences
from server_core.types.content_blocks import PromptMessage as PromptMessage
from server_core.types.content_blocks import ResourceContents as ResourceContents
from server_core.types.content_blocks import ResourceLink as ResourceLink
from server_core.types.content_blocks import SamplingMessage as SamplingMessage
from server_core.types.content_blocks import SamplingMessageContentBlock as SamplingMessageContentBlock
from server_core.types.content_blocks import TextContent as TextContent
from server_core.types.content_blocks import TextResourceContents as TextResourceContents
from server_core.types.content_blocks import ToolChoice as ToolChoice
from server_core.types.content_blocks import ToolResultContent as ToolResultContent
from server_core.types.content_blocks import ToolUseContent as ToolUseContent
from server_core.types.content_blocks import content_blocks as content_blocks
from server_core.types.listings import Annotations as Annotations
from server_core.types.listings import CancelTaskResult as CancelTaskResult
from server_core.types.listings import ClientCapabilities as ClientCapabilities
from server_core.types.listings import CreateTaskResult as CreateTaskResult
from server_core.types.listings import GetTaskResult as GetTaskResult
from server_core.types.listings import Icon as Icon
from server_core.types.listings import Implementation as Implementation
from server_core.types.listings import ListTasksResult as ListTasksResult
from server_core.types.listings import MCPTool as MCPTool
from server_core.types.listings import Prompt as Prompt
from server_core.types.listings import PromptArgument as PromptArgument
from server_core.types.listings import Resource as Resource
from server_core.types.listings import ResourceTemplate as ResourceTemplate
from server_core.types.listings import Root as Root
from server_core.types.listings import Task as Task
from server_core.types.listings import TaskStatus as TaskStatus
from server_core.types.listings import ToolAnnotations as ToolAnnotations
from server_core.types.listings import ToolExecution as ToolExecution
from server_core.types.wire_object import Json as Json
from server_core.types.wire_object import WireObject as WireObject
