from django.urls import path

from . import views

urlpatterns = [
    path("statuses/<id:status_id>/report/", views.report_status, name="report_status"),
    path("@<username:username>/report/", views.report_account, name="report_account"),
    path("reports/<id:report_id>/", views.report, name="report"),
    path("reports/sent/", views.report_sent, name="report_sent"),
    path("warnings/<id:warning_id>/acknowledge/", views.acknowledge, name="acknowledge"),
]
