import {
  Bell,
  Bot,
  Cable,
  CircleUser,
  FileText,
  GraduationCap,
  History,
  KeyRound,
  type LucideIcon,
  Palette,
  Plug,
  ScrollText,
  Server,
  ShieldCheck,
  Tags,
  Ticket,
  Users,
  UsersRound,
  Waypoints,
} from "lucide-react";
import { type ComponentType, lazy } from "react";
import { ServerAgentsPage } from "./agents/ServerAgentsPage";
import { ServerInstructionsPage } from "./agents/ServerInstructionsPage";
import { TextsPage } from "./agents/TextsPage";
import { KeysPage } from "./models/KeysPage";
import { ModelsPage } from "./models/ModelsPage";
import { RulesPage } from "./rules/RulesPage";
import { SkillsPage } from "./skills/SkillsPage";
import { AgentsPage } from "./you/AgentsPage";
import { AppearancePage } from "./you/AppearancePage";
import { InstructionsPage } from "./you/InstructionsPage";
import { NoticesPage } from "./you/NoticesPage";

export interface SettingsPage {
  /** Behind /settings/. */
  path: string;
  label: string;
  icon: LucideIcon;
  page: ComponentType;
  /** Who may not do this is not shown the page. */
  needs?: string;
}

export interface PageGroup {
  label: string;
  pages: readonly SettingsPage[];
}

/** Every page of the settings, as they are listed. */
export const GROUPS: readonly PageGroup[] = [
  {
    label: "You",
    pages: [
      { path: "appearance", label: "Appearance", icon: Palette, page: AppearancePage },
      {
        path: "account",
        label: "Account",
        icon: CircleUser,
        page: lazy(() => import("./account/AccountPage")),
      },
      { path: "notices", label: "Notices", icon: Bell, page: NoticesPage },
      { path: "instructions", label: "Instructions", icon: ScrollText, page: InstructionsPage },
      { path: "agents", label: "Agents and compaction", icon: Bot, page: AgentsPage },
      { path: "rules", label: "Approval rules", icon: ShieldCheck, page: RulesPage },
      { path: "skills", label: "Skills", icon: GraduationCap, page: SkillsPage },
      { path: "mcp", label: "MCP servers", icon: Cable, page: lazy(() => import("./mcp/McpPage")) },
      { path: "keys", label: "Your keys", icon: KeyRound, page: KeysPage },
      {
        path: "access",
        label: "Tokens and sign-ins",
        icon: Ticket,
        page: lazy(() => import("./access/AccessPage")),
      },
    ],
  },
  {
    label: "Server",
    pages: [
      {
        path: "models",
        label: "Models and providers",
        icon: Server,
        page: ModelsPage,
        needs: "model.change",
      },
      {
        path: "server-agents",
        label: "Advisor and compaction",
        icon: Waypoints,
        page: ServerAgentsPage,
        needs: "policy.change",
      },
      { path: "texts", label: "Texts", icon: Tags, page: TextsPage, needs: "policy.change" },
      {
        path: "server-instructions",
        label: "Instructions for all",
        icon: FileText,
        page: ServerInstructionsPage,
        needs: "policy.change",
      },
    ],
  },
  {
    label: "People",
    pages: [
      {
        path: "users",
        label: "Users",
        icon: Users,
        page: lazy(() => import("./people/UsersPage")),
        needs: "people.read",
      },
      {
        path: "groups",
        label: "Groups",
        icon: UsersRound,
        page: lazy(() => import("./people/GroupsPage")),
        needs: "people.read",
      },
      {
        path: "services",
        label: "Services",
        icon: Plug,
        page: lazy(() => import("./people/ServicesPage")),
        needs: "people.read",
      },
      {
        path: "audit",
        label: "Audit",
        icon: History,
        page: lazy(() => import("./people/audit/AuditPage")),
        needs: "audit.read",
      },
    ],
  },
];

export const ALL_PAGES: readonly SettingsPage[] = GROUPS.flatMap((group) => group.pages);

export const FIRST_PAGE = "appearance";
