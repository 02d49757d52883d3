from django.urls import path

from . import views
from .appeals import views as appeals
from .queue import views as queue
from .rules import views as rules

urlpatterns = [
    path("statuses/<id:status_id>/report/", views.report_status, name="report_status"),
    path("@<username:username>/report/", views.report_account, name="report_account"),
    path("reports/<id:report_id>/", views.report, name="report"),
    path("reports/sent/", views.report_sent, name="report_sent"),
    path("warnings/<id:warning_id>/acknowledge/", views.acknowledge, name="acknowledge"),
    path("measures/<id:measure_id>/", appeals.own_measure, name="own_measure"),
    path("appeals/suspended/", appeals.appeal_while_suspended, name="appeal_while_suspended"),
    path("moderation/", queue.queue, name="moderation_queue"),
    path("moderation/cases/<id:case_id>/", queue.case, name="moderation_case"),
    path("moderation/cases/<id:case_id>/let-go/", queue.let_go, name="let_case_go"),
    path("moderation/cases/<id:case_id>/take-over/", queue.take_over, name="take_case_over"),
    path("moderation/cases/<id:case_id>/notes/", queue.add_note, name="add_note"),
    path("moderation/rules/", rules.rules, name="moderation_rules"),
    path("moderation/rules/<id:rule_id>/switch/", rules.switch, name="switch_rule"),
    path("moderation/rules/<id:rule_id>/remove/", rules.remove, name="remove_rule"),
    path("moderation/newcomers/", rules.newcomers, name="moderation_newcomers"),
    path("moderation/appeals/", appeals.appeals, name="moderation_appeals"),
    path("moderation/appeals/<id:appeal_id>/", appeals.appeal, name="moderation_appeal"),
]
